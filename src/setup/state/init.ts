import type { Texts } from '../../command/line/flags.js';
import { styleForOutput } from '../../command/line/terminal.js';
import { printerOfAnything } from '../../command/printer.js';
import { sharedStateOf, stateKeyIn, machineOptions } from '../../session/state-place.js';
import type { GlobalFlags, Run } from '../../command/command.js';
import { renderCheckUp } from '../doctor/view.js';
import { chooseMode } from '../../output/mode.js';
import { Failure } from '../../runtime/failure.js';

export async function initState(
  run: Run<GlobalFlags & Texts<'owner' | 'worker' | 'reader'> & { readonly print: boolean }>,
): Promise<void> {
  const { ports, flags } = run;
  const { place, address } = await requiredState(run);
  const environment = place.environment ?? 'sandbox';
  const { requireRoles, ROLES, scriptOf } = await import('../../storage/postgres/roles.js');
  const { owner = ROLES.owner, worker = ROLES.worker, reader = ROLES.reader } = flags;
  const roles = requireRoles({ owner, worker, reader });
  if (flags.print) {
    const { initialSql } = await import('../../storage/postgres/make-tables.js');
    const sql = initialSql(place.schema, environment, stateKeyIn(ports));
    await ports.output.write(scriptOf(sql, place.schema, roles));
    return;
  }
  const printer = await printerOfAnything(ports, flags);
  const { makeTables } = await import('../../storage/postgres/make-tables.js');
  const tables = await makeTables({ ...machineOptions(ports), place }, environment, roles);
  await printer.answer(Buffer.from(JSON.stringify({ url: address, ...tables })));
}

export async function showState(run: Run): Promise<void> {
  const { ports, flags } = run;
  const { clock, env, output } = ports;
  const { place, address: url } = await requiredState(run);
  const { healthOf } = await import('../../storage/postgres/checks.js');
  // `patienceMs` is 0, because a person waits for the result.
  const options = { ...machineOptions(ports), place, patienceMs: 0 };
  const health = await healthOf(options, { clockOwner: 'machine', now: () => clock.now() });
  if (chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, 'list') === 'table') {
    const placeText = `${url}, answered in ${String(health.reachable_ms)} ms`;
    const checks = [{ check: 'place', status: 'ok' as const, detail: placeText }, ...health.checks];
    const lines = checks.map(({ check, status, detail: message }) => ({ check, status, message, fix: null }));
    await output.write(renderCheckUp(lines, output.columns, await styleForOutput(ports, flags)));
  } else {
    const printer = await printerOfAnything(ports, flags);
    const checks = health.checks.map(({ check, status, detail }) => ({
      ...{ check, ok: status === 'ok', status, detail },
    }));
    await printer.answer(Buffer.from(JSON.stringify({ url, ...health, checks })));
  }
  const failedChecks = health.checks.filter(({ status }) => status === 'error');
  if (failedChecks.length === 0) return;
  const text = failedChecks.map(({ check, detail }) => `${check}: ${detail}`).join('. ');
  throw new Failure(failedChecks[0]?.kind ?? 'local_state', `The shared state cannot be used: ${text}.`, {
    code: 'state_unusable',
  });
}

async function requiredState({ app, ports, flags }: Run) {
  const state = sharedStateOf(await app.choices(), ports, flags);
  if (state !== null) return state;
  throw new Failure(
    'usage',
    'There is no shared state: this machine keeps its state in files. To share it, add --state-url postgres://USER@HOST/DATABASE or set SVC_STATE.',
  );
}
