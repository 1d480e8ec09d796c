import { describe, expect, it } from 'vitest';
import type { Rule } from './rules.js';
import { sourcesIn } from './source.js';

const PLACES: readonly (readonly [call: string, ...files: readonly string[]])[] = [
  ['permitFor', 'src/session/guard/open-guard.ts'],
  ['new Permit', 'src/contract/permit.ts'],
  ['createClient', 'src/session/session.ts'],
  [
    'createUndiciTransport',
    ...['src/session/connection.ts', 'src/events/webhooks/open-receiver.ts'],
    ...['src/sandbox/testing/engine.ts', 'src/sandbox/testing/exam-engine.ts'],
  ],
  ['connectTo', 'src/command/app.ts'],
  [
    'transport',
    'src/client/client.ts',
    'src/events/webhooks/deliver.ts',
    'src/sandbox/beside/exam.ts',
    'src/certify/run/deliveries.ts',
    'src/certify/run/interpose.ts',
    'src/certify/run/run-once.ts',
    'src/payments/operations/trace.ts',
    'src/sandbox/call-control.ts',
    'src/sandbox/follow-requests.ts',
    'src/sandbox/delivery/dispatcher.ts',
    'src/sandbox/testing/engine.ts',
  ],
];

const permits: Rule = ({ path, text }) =>
  PLACES.flatMap(([call, ...files]) => {
    const called = new RegExp(`(?<!function )(?<![\\w])${call.replace(' ', '\\s+')}\\s*\\(`);
    const isFound = text.split('\n').some((line) => called.test(line) && !/^\s*(\/?\*|\/\/)/.test(line));
    return isFound && !files.includes(path) ? [`${path}: ${call}( belongs to ${files.join(', ')}`] : [];
  });

it('stands nowhere else', () => expect(sourcesIn('src').flatMap((source) => permits(source))).toEqual([]));

describe('the rule', () => {
  it.each([
    ['src/payments/api/send.ts', 'const permit = permitFor(request);'],
    ['src/batches/run/attempts.ts', 'permitFor (request)'],
    ['src/batches/run/attempts.ts', 'new Permit(MAKER, request)'],
    ['src/sandbox/embedded.ts', 'const client = createClient({ environment });'],
    ['src/setup/doctor/examine.ts', 'await connection.transport(request, options)'],
    ['src/setup/doctor/examine.ts', 'const { send } = createUndiciTransport({ clock });'],
    ['src/payments/operations/trace.ts', 'await connectTo(ports, target)'],
  ])('sees it in %s: %s', (path, text) => expect(permits({ path, text })).toHaveLength(1));

  it.each([
    ['src/session/guard/open-guard.ts', 'return permitFor(request);'],
    ['src/contract/permit.ts', 'export function permitFor(request: HttpRequest): Permit {'],
    ['src/client/client.ts', 'const answer = await transport(request, options);'],
    ['src/batches/run/attempts.ts', "import type { Permit } from '../../contract/permit.js';"],
  ])('lets it be in %s: %s', (path, text) => expect(permits({ path, text })).toEqual([]));

  it('names no place that does not use it', () => {
    const unused = PLACES.flatMap(([call, ...files]) =>
      files.filter((file) => {
        const text = sourcesIn('src').find(({ path }) => path === file)?.text ?? '';
        return permits({ path: 'src/elsewhere.ts', text }).every((found) => !found.includes(`: ${call}(`));
      }),
    );
    expect(unused).toEqual([]);
  });
});
