// A slider that the page has drawn and says nothing of: its handle, and the numbers near it, one of which tells where it stands.
track => {
  const HANDLES = "[class*=handle i],[class*=thumb i],[class*=knob i],[class*=grip i]";
  const MOST_LEVELS = 4, MOST_NUMBERS = 40;
  const NUMBER = /^[^\d]{0,30}?(-?\d+(?:[.,]\d+)?)[^\d]{0,10}$/;
  const said = el => {
    const found = NUMBER.exec((el.value !== undefined && el.localName === "input" ? el.value : el.textContent).trim());
    return found ? parseFloat(found[1].replace(",", ".")) : null;
  };
  const handles = Array.from(track.querySelectorAll(HANDLES)).filter(el => el.getBoundingClientRect().width > 0);
  let around = track, numbers = [];
  for (let level = 0; level < MOST_LEVELS && around.parentElement && around !== document.body; level++) {
    around = around.parentElement;
    const found = Array.from(around.querySelectorAll("*")).filter(el => !el.firstElementChild && said(el) !== null);
    if (found.length > MOST_NUMBERS) break;
    numbers = found;
  }
  const places = el => { const rect = el.getBoundingClientRect(); return [rect.left, rect.top, rect.width, rect.height]; };
  return {
    handle: handles.length === 1 ? handles[0] : null,
    read() { return numbers.map(el => el.isConnected ? said(el) : null); },
    track() { return places(track); },
    at() { return places(handles[0]); },
  };
}
