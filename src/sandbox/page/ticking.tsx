/** The sandbox's time, which goes on between two answers. */
import { useEffect, useState } from 'preact/hooks';
import { shortTime } from './format.js';
import { clock, sandboxNowMs } from './server.js';

export function Ticking({ isWhole = false }: { readonly isWhole?: boolean }) {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const now = clock.value === null ? null : sandboxNowMs();
  if (now === null) return <time>…</time>;
  const iso = new Date(now).toISOString();
  return <time dateTime={iso}>{isWhole ? `${shortTime(iso)} ${iso.slice(0, 4)}` : shortTime(iso)}</time>;
}
