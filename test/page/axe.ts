import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const PATH = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
  'axe-core',
);

export async function foundByAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(readFileSync(PATH, 'utf8'));
  const violations = await page.evaluate<
    { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
  >('axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)');
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
