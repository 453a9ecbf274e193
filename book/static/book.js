// A formula that is wider than the column can be scrolled by keyboard too.
const reach = () => {
  for (const formula of document.querySelectorAll("div.math")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
    else formula.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
