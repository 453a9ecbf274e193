// Sphinx finds a page only if it holds every word of the query. A pasted error message holds names and numbers of the
// reader's own program, which stand on no page. So where the query contains a whole heading, that heading is looked for.
const searchFor = Search.query;

Search.query = (pasted) => {
  const query = pasted.toLowerCase();
  const headings = Object.keys(Search._index.alltitles).filter((title) => title.length > 15 && query.includes(title.toLowerCase()));
  headings.sort((one, other) => other.length - one.length);
  searchFor(headings[0] ?? pasted);
};
