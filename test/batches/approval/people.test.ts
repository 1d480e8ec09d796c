import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countPeople, type VerifiedSignature } from '../../../src/batches/approval/people.js';

const signed = (
  key: string,
  name: string,
  role: VerifiedSignature['role'] = 'approver',
): VerifiedSignature => ({ file: `${key}-${name}.sig`, role, fingerprint: key, name, names: [name] });

it('takes a name in capitals for the same person', () => {
  expect(countPeople('m', [signed('m', 'a', 'maker'), signed('k1', 'A')])).toMatchObject({ approvals: 0 });
});

it('joins by every name that the list gives a key', () => {
  const both = { ...signed('k1', 'a'), names: ['a', 'B'] };
  expect(countPeople('m', [both, signed('k2', 'b')])).toMatchObject({ approvals: 1 });
  expect(countPeople('m', [signed('m', 'b', 'maker'), both])).toMatchObject({ approvals: 0 });
});

function groups(signatures: readonly VerifiedSignature[]): VerifiedSignature[][] {
  const left = new Set(signatures);
  const found: VerifiedSignature[][] = [];
  for (const first of signatures) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const one of group)
      for (const other of left)
        if (other.fingerprint === one.fingerprint || other.name === one.name) {
          left.delete(other);
          group.push(other);
        }
    found.push(group);
  }
  return found;
}

it('counts as many people as there are groups without the maker, whatever the order', () => {
  const one = fc.record({
    key: fc.constantFrom('m', 'k1', 'k2', 'k3', 'k4'),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    role: fc.constantFrom<VerifiedSignature['role']>('approver', 'approver', 'approver', 'maker'),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), fc.boolean(), (given, names) => {
      const maker = names ? 'm' : null;
      const signatures = given.map(({ key, name, role }) => signed(key, name, role));
      const approving = signatures.filter(({ role }) => role === 'approver');
      const made = signatures.find(({ role, fingerprint }) => role === 'maker' && fingerprint === maker);
      const people = groups([...(made === undefined ? [] : [made]), ...approving]);
      const others = people.filter(
        (group) => !group.some((one) => one === made || one.fingerprint === maker),
      );
      const counted = countPeople(maker, signatures);
      expect(counted.approvers.length).toBe(others.length);
      expect(counted.approvals).toBe(names ? others.length : Math.max(0, others.length - 1));
      expect(counted.approvers.length + counted.refused.length).toBe(
        approving.length +
          signatures.filter(({ role, fingerprint }) => role === 'maker' && fingerprint !== maker).length,
      );
    }),
    { numRuns: 1000 },
  );
});
