import { expect, it } from 'vitest';
import { bundle } from '../../../scripts/build/bundle.js';
import { ROOT } from '../../house/source.js';

const REACT = 'react.transitional.element';

it('no chunk that a command begins with holds React, or imports one that does', async () => {
  const { chunks } = await bundle(ROOT);
  const files = [...chunks.keys()];
  const texts = new Map([...chunks].map(([name, { code }]) => [name, code]));
  const heavy = new Set(files.filter((name) => texts.get(name)!.includes(REACT)));
  const importsHeavy = (text: string): boolean =>
    [...text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].some(([, name]) => heavy.has(name!));
  for (let size = -1; size !== heavy.size;) {
    size = heavy.size;
    for (const [name, text] of texts) if (importsHeavy(text)) heavy.add(name);
  }
  expect(heavy.size).toBeGreaterThan(0);
  expect([...heavy].filter((name) => !/^(face|run-form|chunk)-/.test(name))).toEqual([]);
  expect([...heavy].filter((name) => name.startsWith('face-'))).toHaveLength(1);
  const begins = files.filter((name) => name === 'main.js' || /^(commands|create|confirm)-/.test(name));
  expect(begins.length).toBeGreaterThan(10);
  expect(begins.filter((name) => heavy.has(name))).toEqual([]);
});
