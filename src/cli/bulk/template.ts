/** `--template`: prints a file to begin with, for the method that is meant. */
import type { Direction } from '../../contract/operation.js';
import { templateOf } from '../../bulk/file/template.js';
import { Failure } from '../../runtime/failure.js';
import type { Run } from '../command.js';
import { withSession } from '../session/session.js';
import { fetchCatalogNow } from './catalog.js';
import type { BulkFlags } from './flags.js';
import { runFile } from './run.js';

/** What was typed: the file, or `--template` in its place. @throws Failure by the table of exit codes, Stopped */
export async function runFileOrTemplate(
  run: Run<BulkFlags & { readonly method?: string | undefined }>,
  direction: Direction,
  file: string | undefined,
): Promise<void> {
  const { flags, ports } = run;
  if (!flags.template) {
    if (file === undefined) throw usage(`Name the file: svc ${direction}s batch FILE.`);
    return runFile(run, direction, file);
  }
  if (file !== undefined) throw usage('--template prints a file and reads none: leave FILE out.');
  await withSession(run, async (open) => {
    const { catalog, bankOf } = await fetchCatalogNow(open);
    const { defaults } = open.session;
    const { country = defaults.country, currency = defaults.currency, method } = flags;
    const template = templateOf(direction, catalog, { country, currency, method }, bankOf);
    if (template === null) throw usage(`No method of ${direction}s is that. svc methods lists them.`);
    await ports.output.write(template.text);
  });
}

function usage(why: string): Failure {
  return new Failure('usage', `${why} Nothing was sent.`);
}
