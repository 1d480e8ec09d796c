/** A delivery as it arrived: the body's raw bytes and the headers in pairs, nothing joined and nothing decoded (section 6). */

/** Name and value pairs in the order received: repeated names are kept, names in any case. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface Delivery {
  readonly body: Uint8Array;
  readonly headers: HeaderPairs;
}

/** Every value of a header, its name in any case; empty where it is absent. */
export function valuesOf(headers: HeaderPairs, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** The headers with one of them replaced by a single value. */
export function withHeader(headers: HeaderPairs, name: string, value: string): HeaderPairs {
  const replaced = name.toLowerCase();
  return [...headers.filter(([key]) => key.toLowerCase() !== replaced), [name, value]];
}
