import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type EndpointId, endpoint, ENDPOINT_IDS } from '../../src/contract/endpoints.js';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.js';
import { COMPONENTS } from '../../src/contract/openapi/components.js';
import { type JsonSchema, ref, selfContained } from '../../src/contract/openapi/json-schema.js';
import { bodyNameOf, resultNameOf } from '../../src/contract/openapi/openapi.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

export function complaintsOf(schema: JsonSchema, value: unknown): string[] {
  return saidBy(ajv.compile(schema), value);
}

function saidBy(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

const compiled = new Map<string, ValidateFunction>();
function compile(name: string, schema: () => JsonSchema): ValidateFunction {
  const known = compiled.get(name) ?? ajv.compile(schema());
  compiled.set(name, known);
  return known;
}

export function endpointAt(method: string, target: string): EndpointId | null {
  const path = target.split('?', 1)[0]!.replace(/^\/sandbox(?=\/v2)/, '');
  return (
    ENDPOINT_IDS.find((id) => {
      const row = endpoint(id);
      const form = new RegExp(`^${row.path.replace('{id}', '[0-9a-fA-F-]{36}')}$`);
      return row.method === method && form.test(path);
    }) ?? null
  );
}

export function answerComplaints(id: EndpointId, status: number, text: string): string[] {
  const { success } = endpoint(id);
  if (status === success)
    return saidBy(
      compile(`answer ${id}`, () => selfContained(ref(resultNameOf(id)), COMPONENTS)),
      JSON.parse(text),
    );
  const { error } = JSON.parse(text) as { error?: { code?: unknown } };
  const listed: readonly unknown[] = endpoint(id).errors;
  const known = [error?.code].filter((code) => listed.includes(code));
  const wrong = known.filter((code) => ERRORS[code as ErrorCode].status !== status && status !== 413);
  return [
    ...wrong.map((code) => `${String(code)} is no ${String(status)}`),
    ...saidBy(
      compile('error', () => selfContained(ref('Error'), COMPONENTS)),
      JSON.parse(text),
    ),
  ];
}

export function bodyComplaints(id: EndpointId, text: string): string[] {
  const body = bodyNameOf(id);
  if (body === null) return [];
  return saidBy(
    compile(`body ${id}`, () => selfContained(ref(body), COMPONENTS)),
    JSON.parse(text),
  );
}
