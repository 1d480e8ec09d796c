import { afterAll, afterEach } from 'vitest';

export function fresh<T extends { remove(): void }>(make: () => T, until: 'test' | 'file' = 'test'): T {
  let made: T | null = null;
  (until === 'test' ? afterEach : afterAll)(() => {
    made?.remove();
    made = null;
  });
  return new Proxy({} as T, { get: (_none, name) => Reflect.get((made ??= make()), name) as unknown });
}
