/** `svc state status`: where the shared state is and what it is like, as data or as a person reads it. */
import { terminalName } from '../../cli/line/interaction.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { worldOf } from '../../cli/stores/shared-state.js';
import type { Run } from '../../cli/command.js';
import { renderCheckUp } from '../../output/check-up.js';
import { chooseMode } from '../../output/mode.js';
import { createStyle, wantsColour } from '../../output/style.js';
import { Failure } from '../../runtime/failure.js';
import type { StateStanding } from '../../state/standing.js';
import { requiredState } from './state.js';

/**
 * @throws Failure `usage` where nothing is shared, `unsafe`, `local_state` where it can't be reached; or used, after what is known was printed
 */
export async function showState(run: Run): Promise<void> {
  const { ports } = run;
  const { place, shown } = requiredState(run);
  const { standingOf } = await import('../../state/standing.js');
  // Whoever asks wants to know now.
  const options = { ...worldOf(ports), place, patienceMs: 0 };
  const { clock } = ports;
  const state = await standingOf(options, { whose: 'machine', now: () => clock.now() });
  await print(shown, state, run);
  const wrong = state.checks.filter(({ status }) => status === 'error');
  if (wrong.length === 0) return;
  const text = wrong.map(({ check, detail }) => `${check}: ${detail}`).join('. ');
  throw new Failure(wrong[0]?.kind ?? 'local_state', `The shared state cannot be used: ${text}.`, {
    code: 'state_unusable',
  });
}

async function print(url: string, state: StateStanding, { ports, flags }: Run): Promise<void> {
  const { output, env } = ports;
  if (chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, 'list') !== 'table') {
    const printer = await printerOfAnything(ports, flags);
    const checks = state.checks.map(({ check, status, detail }) => ({
      ...{ check, ok: status === 'ok', status, detail },
    }));
    await printer.answer(Buffer.from(JSON.stringify({ url, ...state, checks })));
    return;
  }
  const where = `${url}, answered in ${String(state.reachable_ms)} ms`;
  const checks = state.checks.map(({ check, status, detail }) => ({
    ...{ check, status, message: detail, fix: null },
  }));
  const style = await createStyle(wantsColour(flags['no-color'], env, output.isTTY), terminalName({ env }));
  const all = [{ check: 'place', status: 'ok' as const, message: where, fix: null }, ...checks];
  await output.write(renderCheckUp(all, output.columns, style));
}
