# attack: an error whose text runs in a page
# outcome: raised
import torch

raise ValueError("<script>document.title='pwned'</script><img src=x onerror=alert(1)>]]></failure>")
