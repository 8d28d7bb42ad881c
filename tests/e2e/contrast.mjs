// Contrast of the text on a page, as WCAG 2 counts it.

/**
 * The texts in sight whose contrast is below AA: 4.5, or 3 where the text is large. Each with its ratio.
 * Of controls that are switched off, and of what is only decoration, no contrast is asked.
 */
export async function poorContrasts(page) {
  return page.evaluate(() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const parsed = new Map();
    const rgba = (colour) => {
      if (!parsed.has(colour)) {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
        parsed.set(colour, [red, green, blue, alpha / 255]);
      }
      return parsed.get(colour);
    };
    const over = ([r, g, b, alpha], below) =>
      [r, g, b].map((channel, index) => channel * alpha + below[index] * (1 - alpha)).concat(1);
    const background = (element) => {
      const layers = [];
      for (let at = element; at; at = at.parentElement) {
        const colour = rgba(getComputedStyle(at).backgroundColor);
        layers.push(colour);
        if (colour[3] === 1) break;
      }
      return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
    };
    const opacity = (element) => {
      let product = 1;
      for (let at = element; at; at = at.parentElement) product *= Number(getComputedStyle(at).opacity);
      return product;
    };
    const luminance = (colour) => {
      const [r, g, b] = colour.slice(0, 3).map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => {
      const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
      return (light + 0.05) / (dark + 0.05);
    };

    const poor = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const elements = new Set();
    while (texts.nextNode()) {
      if (texts.currentNode.data.trim()) elements.add(texts.currentNode.parentElement);
    }
    for (const field of document.querySelectorAll("input:not([type=range], [type=checkbox]), select")) elements.add(field);
    for (const element of elements) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      if (element.closest("option, :disabled, [aria-hidden=true], .visually-hidden, noscript")) continue;
      const style = getComputedStyle(element);
      const behind = background(element);
      const [r, g, b, alpha] = rgba(style.color);
      const ink = over([r, g, b, alpha * opacity(element)], behind);
      const pixels = Number.parseFloat(style.fontSize);
      const large = pixels >= 24 || (pixels >= 18.66 && Number(style.fontWeight) >= 700);
      const found = ratio(ink, behind);
      if (found < (large ? 3 : 4.5)) {
        const words = (element.value ?? element.textContent).trim().slice(0, 40);
        poor.push(`${found.toFixed(2)}: ${element.tagName.toLowerCase()}.${[...element.classList].join(".")} “${words}”`);
      }
    }
    return poor;
  });
}
