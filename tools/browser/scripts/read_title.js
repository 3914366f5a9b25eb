// The title of a page as soon as its document can be read; whoever listens on the document for that is heard first.
() => new Promise(resolve => {
  const tell = () => resolve(document.title);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", tell, { once: true });
  else tell();
})
