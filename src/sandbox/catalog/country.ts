/** How a country of the sandbox's catalog is written down: shared facts once, methods as short rows. */
import type {
  Availability,
  Bank,
  CountryEntry,
  CurrencyEntry,
  FieldDescriptor,
  MethodEntry,
  ReceivingAccount,
} from '../../contract/catalog.js';
import { type Method, METHODS } from '../../contract/operation.js';

/** A required text with its pattern and an example that satisfies it. */
export function textField(name: string, pattern: string, example: string): FieldDescriptor {
  return { name, required: true, type: 'string', pattern, example };
}

/** A required choice. */
export function choiceField(name: string, ...values: readonly string[]): FieldDescriptor {
  return { name, required: true, type: 'enum', enum: values };
}

/** The same field where it may be left out. */
export function optionalField(field: FieldDescriptor): FieldDescriptor {
  return { ...field, required: false };
}

/** The counterparty's name, without space at its ends. */
export const name = optionalField(textField('name', '^\\S(.{0,98}\\S)?$', 'Ana Pérez'));

export const email = optionalField(textField('email', '^[^@\\s]+@[^@\\s]+[.][^@\\s]+$', 'ana@example.com'));

/** A country with its banks, which the service publishes apart. */
export interface Country {
  readonly entry: CountryEntry;
  readonly banks: readonly Bank[];
}

/** A method as a country offers it; the direction follows from the method. */
export interface Offer {
  readonly code: Method;
  readonly currency: string;
  readonly name: string;
  readonly min: string;
  readonly max: string | null;
  readonly fields: readonly FieldDescriptor[];
  readonly availability?: Availability;
  readonly receivingAccount?: ReceivingAccount;
}

export interface CountryDraft {
  readonly code: string;
  readonly name: string;
  readonly currencies: readonly CurrencyEntry[];
  readonly offers: readonly Offer[];
  readonly banks: readonly Bank[];
}

/** The country as the service publishes it. */
export function country({ code, name, currencies, offers, banks }: CountryDraft): Country {
  const methods = offers.map((offer) => methodEntry(code, offer));
  return {
    entry: {
      code,
      name,
      currencies,
      payin_methods: methods.filter(({ direction }) => direction === 'payin'),
      payout_methods: methods.filter(({ direction }) => direction === 'payout'),
    },
    banks,
  };
}

function methodEntry(country: string, offer: Offer): MethodEntry {
  return {
    code: offer.code,
    name: offer.name,
    country,
    currency: offer.currency,
    direction: METHODS[offer.code].direction,
    availability: offer.availability ?? 'available',
    min_amount: offer.min,
    max_amount: offer.max,
    fields: offer.fields,
    ...(offer.receivingAccount === undefined ? {} : { receiving_account: offer.receivingAccount }),
  };
}
