type Use = <O extends AsyncDisposable | Disposable>(resource: O) => O;

export async function openTogether<T extends object>(
  open: (use: Use) => T | Promise<T>,
): Promise<T & AsyncDisposable> {
  const closers: (() => unknown)[] = [];
  const use: Use = (resource) => {
    const close = Symbol.dispose in resource ? resource[Symbol.dispose] : resource[Symbol.asyncDispose];
    closers.unshift(close.bind(resource));
    return resource;
  };
  const closeAll = async (): Promise<void> => {
    const close = closers.shift();
    if (close === undefined) return;
    try {
      await close();
    } finally {
      await closeAll();
    }
  };
  try {
    return Object.assign(await open(use), { [Symbol.asyncDispose]: closeAll });
  } catch (error) {
    await closeAll().catch(() => undefined);
    throw error;
  }
}

export function toDisposable<S extends { close(): Promise<void> }>(store: S): S & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}
