"""The buttons that lead to the repository and to Colab: to the one that this build belongs to, or none."""

from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config

from handgrad.notebooks.repository import repository_branch, repository_url

EDIT_LINK = "{url}/{edit}/{branch}/sources/{{{{ file_name | replace('solutions/', 'exercises/') | replace('.ipynb', '.md') }}}}"
PROVIDERS = {"github.com": ("GitHub", "edit"), "gitlab.com": ("GitLab", "-/edit")}


def link_to_repository(app: Sphinx, config: Config) -> None:
    url, branch = repository_url(), repository_branch()
    config.ogp_social_cards = {"enable": False}  # their addresses need to be whole
    host = urlsplit(url or "").hostname
    if host not in PROVIDERS:
        return
    provider, edit = PROVIDERS[host]
    config.html_theme_options.update(
        repository_url=url,
        repository_branch=branch,
        use_repository_button=True,
        use_edit_page_button=True,
        use_issues_button=True,
    )
    # notebooks are built; what one edits is their source
    config.html_context.update(
        edit_page_url_template=EDIT_LINK.format(url=url, edit=edit, branch=branch), edit_page_provider_name=provider
    )
    if provider == "GitHub":
        owner, _, name = urlsplit(url).path.strip("/").partition("/")
        config.ogp_social_cards = {"line_color": "#0969b8"}
        config.ogp_site_url = f"https://{owner}.github.io/{name}/"
        config.notfound_urls_prefix = f"/{name}/"
        # Colab opens notebooks from there alone
        config.html_theme_options["launch_buttons"] = {
            "colab_url": "https://colab.research.google.com",
            "notebook_interface": "jupyterlab",
        }


def setup(app: Sphinx) -> None:
    app.connect("config-inited", link_to_repository)
