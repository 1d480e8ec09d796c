import { describe, expect, it } from 'vitest';
import { findCompany, ownerOf, type ReadOperation } from '../../src/feed/company.js';
import type { Company, Mirrors, Place } from '../../src/storage/mirror/mirror.js';
import { Failure } from '../../src/runtime/failure.js';
import { eventText, known, PLACE, uuid } from './given.js';
import { mirrorEngines } from './engines.js';

function service(...numbers: readonly number[]): { read: ReadOperation; asked: string[] } {
  const asked: string[] = [];
  const there = numbers.map((number) => uuid(number));
  return {
    asked,
    read: (id) => {
      asked.push(id);
      return Promise.resolve(there.includes(id) ? 'there' : 'absent');
    },
  };
}

const never: ReadOperation = () => Promise.reject(new Error('nothing is to be asked'));
const at = (more: Partial<Place>): Place => ({ ...PLACE, ...more });
const ROTATED = at({ keyPrint: 'print-of-the-next-key' });
const ELSEWHERE = at({ origin: 'https://api2.example.com' });

async function companyWith(mirrors: Mirrors, place: Place, ...numbers: readonly number[]): Promise<Company> {
  const company = await mirrors.begin(place);
  const mirror = mirrors.of(company);
  const events = numbers.map((number) => eventText({ number }));
  await mirror.commit(known(...events), await mirror.reading());
  return company;
}

const ENGINES = await mirrorEngines();

describe.each(ENGINES)('a mirror %s', (_name, { mirrorsAt, newFile }) => {
  describe('the company of a place', () => {
    it('is new where nothing is known, and the same from then on, without asking', async () => {
      const mirrors = await mirrorsAt();
      const first = await findCompany(mirrors, PLACE, never);
      expect(first).toMatchObject({ isNew: true, company: { environment: 'live' } });
      expect(await findCompany(mirrors, PLACE, never)).toEqual({ ...first, isNew: false });
    });

    it.each([
      ['another key', ROTATED],
      ['another origin', ELSEWHERE],
      ['both', at({ origin: ELSEWHERE.origin, keyPrint: ROTATED.keyPrint })],
    ])('is proved for %s by the newest operation, once', async (_what, place) => {
      const mirrors = await mirrorsAt();
      const company = await companyWith(mirrors, PLACE, 3, 9, 5);
      const { read, asked } = service(3, 5, 9);
      expect(await findCompany(mirrors, place, read)).toEqual({ company, isNew: false });
      expect(asked).toEqual([uuid(9)]);
      expect(await findCompany(mirrors, place, never)).toEqual({ company, isNew: false });
    });

    it('is another one where the service has no such operation: two companies at one origin', async () => {
      const mirrors = await mirrorsAt();
      const company = await companyWith(mirrors, PLACE, 3);
      const other = await findCompany(mirrors, ROTATED, service(7).read);
      expect(other.isNew).toBe(true);
      expect(other.company.id).not.toBe(company.id);
      expect(await findCompany(mirrors, PLACE, never)).toEqual({ company, isNew: false });
      expect(await findCompany(mirrors, ROTATED, never)).toEqual({ ...other, isNew: false });
    });

    it('is found among several, those that share key or origin first', async () => {
      const mirrors = await mirrorsAt();
      await companyWith(mirrors, at({ origin: 'https://a.example.com', keyPrint: 'a' }), 1);
      const mine = await companyWith(mirrors, at({ keyPrint: 'mine' }), 2);
      await companyWith(mirrors, at({ origin: 'https://b.example.com', keyPrint: 'b' }), 3);
      const { read, asked } = service(2);
      expect(await findCompany(mirrors, ROTATED, read)).toEqual({ company: mine, isNew: false });
      expect(asked).toEqual([uuid(2)]);
      const all = service(1);
      await findCompany(mirrors, at({ origin: 'https://c.example.com', keyPrint: 'c' }), all.read);
      expect(all.asked).toEqual([uuid(3), uuid(2), uuid(1)]);
    });

    it('is no company of the other environment, and none whose operations are not known', async () => {
      const mirrors = await mirrorsAt();
      await companyWith(mirrors, PLACE, 3);
      await companyWith(mirrors, ROTATED);
      const sandbox = at({ environment: 'sandbox' });
      expect(await findCompany(mirrors, sandbox, never)).toMatchObject({ isNew: true });
      const { read, asked } = service();
      expect(await findCompany(mirrors, ELSEWHERE, read)).toMatchObject({ isNew: true });
      expect(asked).toEqual([uuid(3)]);
    });

    it('is not asked about by an id that stands in no path', async () => {
      const mirrors = await mirrorsAt();
      const mirror = mirrors.of(await mirrors.begin(PLACE));
      const odd = eventText({ number: 1, data: { id: '../payouts' } });
      await mirror.commit(known(odd), await mirror.reading());
      expect(await findCompany(mirrors, ROTATED, never)).toMatchObject({ isNew: true });
    });

    it('is not made out of a read that was refused', async () => {
      const mirrors = await mirrorsAt();
      const company = await companyWith(mirrors, PLACE, 3);
      const refused = new Failure('no_access', 'The key is not known.', { status: 401 });
      await expect(findCompany(mirrors, ROTATED, () => Promise.reject(refused))).rejects.toBe(refused);
      expect(await mirrors.companyOf(ROTATED)).toBeNull();
      expect(await mirrors.companyOf(PLACE)).toEqual(company);
    });

    it('is one where two processes meet a new one at once', async () => {
      const mirrors = await mirrorsAt();
      const find = () => findCompany(mirrors, PLACE, never);
      const [one, other] = await Promise.all([find(), find()]);
      expect(one.company).toEqual(other.company);
    });
  });

  describe('a proof', () => {
    it.each([
      ['same', [3]],
      ['other', [4]],
    ] as const)('says %s by what the service has', async (answer, numbers) => {
      const { read } = service(...numbers);
      const mirrors = await mirrorsAt();
      const company = await companyWith(mirrors, PLACE, 3);
      expect(await ownerOf(mirrors, { company: company.id }, ROTATED, read)).toBe(answer);
      expect(await mirrors.companyOf(ROTATED)).toEqual(answer === 'same' ? company : null);
    });

    it('says unknown where no operation is known', async () => {
      const mirrors = await mirrorsAt();
      const company = await companyWith(mirrors, PLACE);
      for (const one of [company.id, 'of a mirror that was lost', null])
        expect(await ownerOf(mirrors, { company: one }, ROTATED, never)).toBe('unknown');
    });

    it('is of this company where no mirror says it and this key sees an operation of it; where it does not, that may be too new', async () => {
      const mirrors = await mirrorsAt();
      const { id } = await companyWith(mirrors, PLACE);
      for (const one of [id, 'of a mirror that was lost', null]) {
        const put = { company: one, operation: uuid(7) };
        expect(await ownerOf(mirrors, put, ROTATED, service(7).read)).toBe('same');
        expect(await ownerOf(mirrors, put, ROTATED, service(8).read)).toBe('unknown');
      }
    });

    it('says other of the other environment', async () => {
      const mirrors = await mirrorsAt();
      const company = await companyWith(mirrors, PLACE, 3);
      expect(await ownerOf(mirrors, { company: company.id }, at({ environment: 'sandbox' }), never)).toBe(
        'other',
      );
    });

    it('makes one of two that were taken for different ones, by both ids, and keeps the mirror that holds more', async () => {
      for (const [first, second] of [
        [[1, 2, 3], [3]],
        [[3], [1, 2, 3]],
      ] as const) {
        const mirrors = await mirrorsAt();
        const one = await companyWith(mirrors, PLACE, ...first);
        const two = await companyWith(mirrors, ROTATED, ...second);
        expect(await ownerOf(mirrors, { company: one.id }, ROTATED, service(1, 2, 3).read)).toBe('same');
        const [here, there] = await Promise.all([mirrors.companyOf(PLACE), mirrors.companyOf(ROTATED)]);
        expect(here).toEqual(there);
        for (const company of [one, two]) {
          expect(await mirrors.companyById(company.id)).toEqual(here);
          expect(await mirrors.of(company).size()).toBe(3);
          expect(await ownerOf(mirrors, { company: company.id }, ROTATED, never)).toBe('same');
        }
        const three = await companyWith(mirrors, at({ keyPrint: 'third' }), 1, 2, 3, 4);
        expect(await ownerOf(mirrors, { company: three.id }, PLACE, service(1, 2, 3, 4).read)).toBe('same');
        for (const company of [one, two]) expect(await mirrors.companyById(company.id)).toEqual(three);
      }
    });

    it('that two machines find at once, each the other way round, is one for both, while one of them reads', async () => {
      const file = newFile();
      const [here, there] = [await mirrorsAt(file), await mirrorsAt(file)];
      for (let round = 0; round < 10; round += 1) {
        const [first, second] = ['a', 'b'].map((name) => at({ keyPrint: `${name}${String(round)}` }));
        const one = await companyWith(here, first!, 10 * round + 1, 10 * round + 2);
        const two = await companyWith(there, second!, 10 * round + 3, 10 * round + 5);
        const mirror = here.of(one);
        await Promise.all([
          here.learn(one, second!),
          there.learn(two, first!),
          mirror.reading().then((reading) => mirror.commit(known(eventText({ number: 7 })), reading)),
        ]);
        const agreed = await here.companyOf(first!);
        expect(agreed).not.toBeNull();
        expect(await there.companyOf(second!)).toEqual(agreed);
        for (const company of [one, two]) expect(await here.companyById(company.id)).toEqual(agreed);
        const size = await here.of(agreed!).size();
        expect(size === 0 || (await here.of(agreed!).newest()) !== null).toBe(true);
      }
    });

    it('knows a company again whose mirror was lost', async () => {
      const lost = await (await mirrorsAt()).begin(PLACE);
      const mirrors = await mirrorsAt();
      const fresh = await companyWith(mirrors, PLACE, 3, 4);
      expect(await mirrors.companyById(lost.id)).toBeNull();
      await mirrors.learn(lost, PLACE);
      expect(await mirrors.companyById(lost.id)).toEqual(await mirrors.companyById(fresh.id));
      expect(await mirrors.of(lost).size()).toBe(2);
    });
  });
});
