// Wait until a <details> has told the page that it was opened or closed: browsers do so a task
// later than they open it. A page that draws no frames is not waited for.
(el) => el.closest("details") && new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 250);
})
