// A page adds its days to an address that was opened without any. Streamlit would have the browser keep both
// addresses, and its Back button would lead from the second one to the first, which is the same page.
if (!Object.hasOwn(history, "pushState")) {
  const push = history.pushState, hasDays = (url) => url.searchParams.has("from")
  history.pushState = function (state, title, to) {
    const now = new URL(location), next = new URL(to, now)
    const isSame = next.pathname === now.pathname && hasDays(next) && !hasDays(now)
    return (isSame ? history.replaceState : push).call(history, state, title, to)
  }
}
