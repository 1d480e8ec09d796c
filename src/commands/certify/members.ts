/** An answer as a later version of the service may write it: unknown members in every object but metadata, and other white space. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import type { SandboxAnswer } from '../../sandbox/message.js';

/** As it is where it is no JSON. */
export function withMembers(answer: SandboxAnswer): SandboxAnswer {
  const value = jsonIn(answer.body);
  if (value === undefined) return answer;
  return { ...answer, body: Buffer.from(`${JSON.stringify(extended(value), null, 1)}\n`) };
}

function extended(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(extended);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'metadata' ? inner : extended(inner),
  ]);
  return {
    added_later: { since: '2.9.0', list: [1, null] },
    ...Object.fromEntries(members),
    also_new: 'x',
  };
}
