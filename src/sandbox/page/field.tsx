/** One field of a create as a person fills it in: a choice where it is closed, the banks that there are, else a text. */
import type { Field } from './catalog.js';
import { asWords } from './format.js';

export interface BankJson {
  readonly code: string;
  readonly name: string;
}

export interface FieldProps {
  readonly field: Field;
  readonly banks: readonly BankJson[];
  readonly value: string;
  readonly set: (value: string) => void;
}

export function FieldInput({ field, banks, value, set }: FieldProps) {
  const { name, required, enum: options, pattern } = field;
  const label = `${asWords(name.replace('.', ' '))}${required ? '' : ' (optional)'}`;
  const listed = `banks-${name}`;
  if (options !== undefined)
    return (
      <label>
        {label}
        <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
          {!required && <option value="">none</option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      </label>
    );
  if (field.type === 'pairs')
    return (
      <label>
        {label}, a line of key=value each
        <textarea rows={2} value={value} onInput={({ currentTarget }) => set(currentTarget.value)} />
      </label>
    );
  const isBank = name === 'bank_code' && banks.length > 0;
  const fits = value === '' || pattern === undefined || matches(value, pattern);
  return (
    <label>
      {label}
      <input
        value={value}
        aria-invalid={!fits}
        list={isBank ? listed : undefined}
        type={field.type === 'date' ? 'date' : 'text'}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      {isBank && (
        <datalist id={listed}>
          {banks.map(({ code, name: bank }) => (
            <option key={code} value={code}>
              {bank}
            </option>
          ))}
        </datalist>
      )}
      {!fits && <span class="note">not what the catalog asks for; you can send it anyway</span>}
    </label>
  );
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
