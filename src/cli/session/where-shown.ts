/** Where real money goes, as it is shown before anybody confirms it: first, and the same for a batch and a single request. Pure. */
import type { Section } from '../../output/detail.js';

export interface ShownPlace {
  readonly environment: string;
  readonly address: string;
  /** Null where nothing is said of it. */
  readonly company: string | null;
  readonly profile: string | null;
}

export function placeSection({ environment, address, company, profile }: ShownPlace): Section {
  return {
    title: 'Where it goes',
    pairs: [
      { label: 'Environment', value: environment, tone: 'strong' },
      { label: 'Address', value: address, whole: true, tone: 'strong' },
      { label: 'Company', value: company ?? '', tone: 'strong' },
      { label: 'Profile', value: profile ?? 'none' },
    ],
  };
}
