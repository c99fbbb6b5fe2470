// Runs before the first paint, so that a page never flashes in the wrong theme. Kept small on purpose.
(function () {
  try {
    var theme = JSON.parse(localStorage.getItem('paishe.theme'));
    var deck = JSON.parse(localStorage.getItem('paishe.deck'));
    if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
    if (deck === 4 || deck === 2) document.documentElement.dataset.deck = String(deck);
  } catch (refused) { /* storage is closed to us: follow the system */ }
})();
