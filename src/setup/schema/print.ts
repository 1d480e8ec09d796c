import { readEndpoint } from '../../command/read.js';
import { type GlobalFlags, type Run, type SessionRun, inSession } from '../../command/command.js';
import { SERVICE_FLAGS, type Texts } from '../../command/line/flags.js';
import { printerOfJson } from '../../command/printer.js';
import { nearest } from '../../command/line/vocabulary.js';
import { matchesCode } from '../../contract/catalog.js';
import { matchingMethods } from '../../contract/create-details.js';
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import { enumerated } from '../../contract/on-screen.js';
import type { Direction } from '../../contract/operation.js';
import { contractBroken, Failure } from '../../runtime/failure.js';
import { quote } from '../../runtime/shell.js';
import { COMPONENTS } from '../../contract/openapi/components.js';
import { createBodySchema } from '../../contract/openapi/create-body.js';
import { type JsonSchema, eitherOf, ref, selfContained } from '../../contract/openapi/json-schema.js';
import { bodyNameOf, openApi } from '../../contract/openapi/openapi.js';

type SchemaFlags = GlobalFlags &
  Texts<'method' | 'country' | 'currency'> & { readonly yaml: boolean; readonly commands: boolean };

export async function printSchema(run: Run<SchemaFlags>, schemaName: string | undefined): Promise<void> {
  const { flags, ports } = run;
  if (flags.yaml && (flags.jq !== undefined || flags.output !== undefined || flags.json))
    throw usage('--yaml is an output of its own: leave out --jq, --output and --json.');
  const printer = await printerOfJson(ports, flags);
  const value = await requestedSchema(run, schemaName);
  if (!flags.yaml) return printer.answer(Buffer.from(JSON.stringify(value)));
  const { default: yaml } = await import('yaml');
  await ports.output.write(yaml.stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}

async function requestedSchema(run: Run<SchemaFlags>, schemaName: string | undefined): Promise<JsonSchema> {
  const { method, country, currency } = run.flags;
  const hasMethodFlags = [method, country, currency].some((flag) => flag !== undefined);
  if (run.flags.commands) {
    if (schemaName !== undefined || hasMethodFlags)
      throw usage('--commands describes every command: leave out the rest.');
    const { describeCommands } = await import('./commands-described.js');
    return describeCommands(await run.entries(), run.vocabulary);
  }
  const direction =
    schemaName === 'payins.create' ? 'payin' : schemaName === 'payouts.create' ? 'payout' : null;
  const ownersText =
    '--method belongs to payins.create and payouts.create; --country and --currency to --method.';
  if (hasMethodFlags && (direction === null || method === undefined)) throw usage(ownersText);
  if (!hasMethodFlags) {
    const { flags } = run;
    const serviceFlags = SERVICE_FLAGS.filter((name) => flags[name] !== undefined && flags[name] !== false);
    if (serviceFlags.length > 0) {
      const { ignoredFlags } = await import('../../command/line/usage-errors.js');
      throw ignoredFlags('schema without --method', serviceFlags);
    }
  }
  if (schemaName === undefined) return openApi();
  if (schemaName === 'events') return selfContained(ref('Evento'), COMPONENTS);
  if (hasMethodFlags && direction !== null && method !== undefined)
    return bodyOfMethod(direction, method, await inSession(run));
  const body = ENDPOINT_IDS.includes(schemaName as EndpointId) ? bodyNameOf(schemaName as EndpointId) : null;
  if (body !== null) return selfContained(ref(body), COMPONENTS);
  const nearestName = nearest(schemaName, SCHEMA_NAMES);
  const hint =
    nearestName === null ? `Use ${enumerated(SCHEMA_NAMES, 'or')}.` : `Did you mean ${nearestName}?`;
  throw usage(`There is no schema of ${quote(schemaName)}. ${hint}`);
}

const SCHEMA_NAMES = [...ENDPOINT_IDS.filter((id) => bodyNameOf(id) !== null), 'events'];

async function bodyOfMethod(
  direction: Direction,
  method: string,
  run: SessionRun<SchemaFlags>,
): Promise<JsonSchema> {
  const { session, flags } = run;
  const { readCapabilities } = await import('../../contract/catalog-schema.js');
  const catalog = readCapabilities(await readEndpoint('capabilities', {}, run));
  if (catalog === null) throw contractBroken('the catalog has another form');
  const { country = session.defaults.country, currency = session.defaults.currency } = flags;
  const entries = matchingMethods(catalog, direction, {});
  const methodEntries = entries.filter(({ entry }) => entry.code === method);
  const matches = methodEntries.filter(
    ({ entry: candidate }) =>
      matchesCode(country, candidate.country) && matchesCode(currency, candidate.currency),
  );
  const schemas = matches.map((located) => createBodySchema(direction, located));
  const [firstSchema, ...otherSchemas] = schemas;
  if (firstSchema === undefined) {
    const codes = entries.map(({ entry }) => entry.code).filter((code) => code !== method);
    const nearestCode = nearest(method, codes);
    const hint =
      nearestCode === null ? `See "svc methods --direction ${direction}".` : `Did you mean ${nearestCode}?`;
    throw usage(`The catalog has no method ${quote(method)} of ${direction}s for these flags. ${hint}`);
  }
  return otherSchemas.length === 0 ? firstSchema : eitherOf(schemas);
}

function usage(text: string): Failure {
  return new Failure('usage', text, { concernsMoney: false });
}
