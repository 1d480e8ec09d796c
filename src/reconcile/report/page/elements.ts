/** What a document is put together from: elements with text in them, and never text that is read as markup. */

type Child = Node | string;

/** An element with attributes and what is in it; texts stay texts. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

/** Text from outside in a direction of its own. */
export function outside(text: string): HTMLElement {
  return el('bdi', {}, text);
}
