// What an element looks like: colours, icons, and whether it seems to be there to be used.

const HUES = [[14, "red"], [45, "orange"], [68, "yellow"], [165, "green"], [198, "cyan"], [255, "blue"], [290, "purple"], [335, "pink"], [361, "red"]];
// Colours that have names of their own, which people use if something is just about so.
const SHADES = { lime: [0, 255, 0], olive: [128, 128, 0], maroon: [128, 0, 0], silver: [192, 192, 192], gold: [255, 215, 0], magenta: [255, 0, 255], fuchsia: [255, 0, 255], aqua: [0, 255, 255],
  teal: [0, 128, 128], navy: [0, 0, 128], indigo: [75, 0, 130], violet: [238, 130, 238], turquoise: [64, 224, 208], crimson: [220, 20, 60], coral: [255, 127, 80], salmon: [250, 128, 114],
  beige: [245, 245, 220], tan: [210, 180, 140], khaki: [240, 230, 140], lavender: [230, 230, 250], orchid: [218, 112, 214], plum: [221, 160, 221], chocolate: [210, 105, 30] };
const PALE = 0.76; // lighter is a tint of a colour: another thing may have the colour itself
const NEARBY = 24; // of 441, from black to white
const shadesOf = rgb => Object.keys(SHADES).filter(name => Math.hypot(...SHADES[name].map((part, at) => part - rgb[at])) < NEARBY);
const colours = new Map();
function colourName(css) {
  if (!css) return "";
  let name = colours.get(css);
  if (name !== undefined) return name;
  const parts = css.match(/[\d.]+/g);
  name = "";
  if (parts && parts.length >= 3 && /^rgb/.test(css) && !(parts.length > 3 && parseFloat(parts[3]) < 0.15)) {
    const [r, g, b] = parts.slice(0, 3).map(part => parseFloat(part) / 255);
    const high = Math.max(r, g, b), low = Math.min(r, g, b), light = (high + low) / 2, chroma = high - low;
    const strength = chroma === 0 ? 0 : chroma / (1 - Math.abs(2 * light - 1));
    if (chroma < 0.09 || strength < 0.13) name = light > 0.94 ? "white" : light < 0.12 ? "black" : "gray";
    else {
      let hue = high === r ? ((g - b) / chroma) % 6 : high === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4;
      hue = (hue * 60 + 360) % 360;
      name = HUES.find(([limit]) => hue < limit)[1];
      if (light < 0.08) name = "black";
      else if (light > 0.96) name = "white";
      else if (name === "orange" && light < 0.38) name = "brown";
      else if (name === "red" && light > 0.7 && strength > 0.3) name = "pink";
      else if ((name === "blue" || name === "cyan") && light < 0.28 && strength > 0.4) name = "blue navy";
      else if (name === "pink" && light < 0.4) name = "purple";
      if (name === "purple" && high === r && strength > 0.7 && light < 0.6) name = "purple magenta";
      if (name === "cyan" && light < 0.45) name = "cyan teal";
      if (name === "green" && light > 0.45 && hue < 100) name = "green lime";
      if (light > PALE && !/white|pink/.test(name)) name += " pale";
    }
    const plain = /^(white|gray|black)$/.test(name);
    for (const shade of shadesOf([r * 255, g * 255, b * 255])) if ((!plain || shade === "silver") && !name.split(" ").includes(shade)) name += " " + shade;
  }
  colours.set(css, name);
  return name;
}
function coloursOf(el, style) {
  const found = [];
  const add = name => { for (const each of name.split(" ")) if (each && !found.includes(each)) found.push(each); };
  if (el instanceof SVGElement && el.localName !== "svg") { add(colourName(style.fill)); if (style.stroke !== "none") add(colourName(style.stroke)); return found; }
  const ground = colourName(style.backgroundColor);
  add(ground);
  if (style.backgroundImage.startsWith("linear-gradient")) { const inner = style.backgroundImage.match(/rgba?\([^)]*\)/); if (inner) add(colourName(inner[0])); }
  const text = colourName(style.color);
  if (text && text !== "black" && !found.length) add(text);
  if (parseFloat(style.borderTopWidth) >= 2) { const edge = colourName(style.borderTopColor); if (edge !== "black" && edge !== "gray") add(edge); }
  return found;
}
const ICONIC = /(^|[\s_-])(icon|icons|fa|fas|far|fab|glyphicon|mdi|bi|material-icons|ico)([\s_-]|$)/;
const GENERIC = /^(fa|fas|far|fab|fal|fad|icon|icons|material|mdi|bi|glyphicon|svg|btn|ui|css|js|lg|md|sm|xs|xl|col|row|wrapper|container|inner|outer|box|item|el|solid|regular|outlined|rounded)$/;
function weakWords(el, deep) {
  if (!deep && !el.id && !attr(el, "class") && !attr(el, "name") && !attr(el, "data-testid")) return "";
  const words = [];
  const add = text => { if (text && typeof text === "string") for (const word of text.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/)) if (word.length > 1 && word.length < 25 && !GENERIC.test(word) && words.length < 24) words.push(word.toLowerCase()); };
  const note = each => {
    add(each.id); add(attr(each, "name")); add(attr(each, "class")); add(attr(each, "data-icon")); add(attr(each, "data-testid")); add(attr(each, "data-original-title")); add(attr(each, "data-tooltip"));
    if (ICONIC.test(attr(each, "class") || "") && /^[a-z_ ]{3,30}$/.test(squeeze(each.textContent))) add(squeeze(each.textContent));
    if (each.localName === "use") add((attr(each, "href") || attr(each, "xlink:href") || "").replace(/^.*[#/]/, ""));
    if (each.localName === "img") add((attr(each, "src") || "").replace(/^data:.*$/, "").replace(/^.*\//, "").replace(/\.\w+$/, ""));
  };
  note(el);
  if (deep) for (const inner of Array.from(el.querySelectorAll("i,span,svg,use,img,path")).slice(0, 8)) note(inner);
  return words.join(" ");
}
function looksIconic(el, rect) {
  if (rect[2] > 64 || rect[3] > 64) return false;
  const tag = el.localName;
  if (tag === "svg" || tag === "img" || (tag === "i" && !squeeze(el.textContent))) return true;
  const names = attr(el, "class");
  if (names && ICONIC.test(names)) return true;
  if (el.firstElementChild && el.querySelector("svg,img,i") && !content(el)) return true;
  const text = content(el);
  return text.length > 0 && text.length <= 2 && /[^\w\s]/.test(text);
}
// Libraries note on an element what they listen for; listeners that nobody noted cannot be known.
const PRESSES = /^(on)?:?(click|mousedown|mouseup|pointerdown|pointerup|touchstart|tap)(\.|$)/i;
const listens = (events) => Boolean(events) && Object.keys(events).some(type => PRESSES.test(type) && events[type]);
function noted(el, key) {
  if (key.startsWith("__reactProps")) return listens(el[key]);
  if (key.startsWith("jQuery")) { const jquery = window.jQuery; return Boolean(jquery && jquery._data) && listens(jquery._data(el, "events")); }
  if (key === "__on") return Array.isArray(el.__on) && el.__on.some(each => each && PRESSES.test(each.type)); // D3
  if (key === "_vei") return listens(el._vei); // Vue
  if (key.startsWith("__zone_symbol__")) return PRESSES.test(key.slice(15).replace(/(true|false)$/, "")); // Angular
  return key.startsWith("__") && PRESSES.test(key.slice(2)) && Boolean(el[key]); // D3, Svelte
}
const handled = el => {
  if (el.onclick || el.onmousedown || el.onpointerdown || el.onmouseup) return true;
  if (el.attributes.length) for (const name of el.getAttributeNames()) if (/^(on(click|mousedown|pointerdown|touchstart)|ng-click|data-ng-click|@click|v-on:click|jsaction|data-action|data-toggle|data-bs-toggle|hx-(get|post|put|delete)|phx-click|wire:click|x-on:click)/.test(name)) return true;
  for (const key of Object.keys(el)) if (noted(el, key)) return true;
  return false;
};
