/** Where requests lead: a URL taken apart for undici. */

export interface Target {
  readonly origin: string;
  readonly path: string;
}

/** Takes URLs apart. A batch asks for the same one a million times: the last is remembered. */
export function targetReader(): (url: string) => Target {
  let last: { readonly url: string; readonly target: Target } | null = null;
  return (url) => {
    if (last?.url !== url) {
      const { origin, pathname, search } = new URL(url);
      last = { url, target: { origin, path: pathname + search } };
    }
    return last.target;
  };
}
