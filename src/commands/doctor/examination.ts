/** `svc doctor`: every check in order, each on a line; the worst of them is the exit code. */
import { terminalName } from '../../cli/line/interaction.js';
import { renderCheckUp } from '../../output/check-up.js';
import { withoutLine } from '../../output/error-prose.js';
import { chooseMode } from '../../output/mode.js';
import { createStyle, wantsColour } from '../../output/style.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { openSession, type Session } from '../../cli/session/session.js';
import { error, type Checked, ok } from './checked.js';
import { checkKept, checkSecret } from './kept.js';
import { checkMachine, checkTarget } from './machine.js';
import { checkService } from './service.js';
import { sharedStateOf, stateIn, type StoresRun, worldOf } from '../../cli/stores/shared-state.js';

/** @throws Failure of the first error found, after everything was printed */
export async function examine(ports: Ports, flags: GlobalFlags): Promise<void> {
  const found = [...checkMachine(ports), ...(await checkTheRest(ports, flags))];
  // What a service says about a refusal may be what it was sent.
  const all = found.map((one) => ({ ...one, message: ports.redact(one.message) }));
  await print(all, ports, flags);
  const errors = all.filter(({ status }) => status === 'error');
  const [first] = errors;
  if (first === undefined) return;
  // Who reads the table has read what is wrong, and the command that mends it; a script reads the error alone.
  const isRead = isTable(ports, flags);
  const names = errors.map(({ check }) => check).join(', ');
  const text = errors.map(({ check, message }) => `${check}: ${message}`).join(' ');
  const said = isRead ? `Problems: ${names}. Nothing was changed.` : `${text} Nothing was changed.`;
  throw new Failure(first.kind ?? 'defect', said, {
    code: 'not_well',
    nextCommand: isRead ? undefined : (first.fix ?? undefined),
  });
}

/** What stands in the way of a session is what is wrong. */
async function checkTheRest(ports: Ports, flags: GlobalFlags): Promise<Checked[]> {
  try {
    const session = await openSession(ports, { ...flags, quiet: true });
    try {
      const service = await checkService(session, ports);
      const run = { ports, flags: { ...flags, quiet: true } };
      const shared = await checkShared(session, run);
      const isUsable = shared.every(({ status }) => status !== 'error');
      return [
        ...checkTarget(session.target, ports),
        ...service,
        ...shared,
        await checkSecret(session, ports),
        // What is in a state that can't be used is not waited for.
        ...(isUsable ? await checkKept(run) : []),
      ];
    } finally {
      await session.close();
    }
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const fix = failure.facts.nextCommand ?? null;
    // A check-up sends nothing that could pay.
    const text = withoutLine(failure.message.replace(/ Nothing was sent\./, ''), fix);
    return [error('settings', failure.kind, text, fix)];
  }
}

function isTable({ env, output }: Ports, flags: GlobalFlags): boolean {
  return chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, 'list') === 'table';
}

async function print(all: readonly Checked[], ports: Ports, flags: GlobalFlags): Promise<void> {
  const { output, env } = ports;
  if (isTable(ports, flags)) {
    const style = await createStyle(wantsColour(flags['no-color'], env, output.isTTY), terminalName({ env }));
    await output.write(renderCheckUp(all, output.columns, style));
    return;
  }
  const checks = all.map(({ check, status, message, fix }) => ({ check, status, message, fix }));
  const printer = await printerOfAnything(ports, flags, 'checks');
  await printer.answer(Buffer.from(JSON.stringify({ checks })));
}

/** Nothing where nothing is said of it. What stands in its way is what is wrong with it, and hides nothing else. */
async function checkShared(session: Session, run: StoresRun): Promise<Checked[]> {
  try {
    return await look(session, run);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return [error('state', failure.kind, failure.message, failure.facts.nextCommand ?? null)];
  }
}

async function look(session: Session, run: StoresRun): Promise<Checked[]> {
  const said = stateIn(run);
  if (said === null) return [];
  const shared = sharedStateOf(run);
  if (shared === null) return [ok('state', `files: ${said.name} is not used for the embedded sandbox`)];
  const { standingOf } = await import('../../state/checks.js');
  const { clock } = session;
  const compared = clock.isHeard() ? ('service' as const) : ('machine' as const);
  const options = { ...worldOf(run.ports), place: shared.place, patienceMs: 0 };
  const state = await standingOf(options, { whose: compared, now: () => clock.now() });
  const where = `${shared.shown} (${shared.name}), answered in ${String(state.reachable_ms)} ms`;
  const checks = state.checks.map(({ check, status, detail, kind }) => ({
    ...{ check: `state ${check}`, status, message: detail, kind, fix: null },
  }));
  return [ok('state', where), ...checks];
}
