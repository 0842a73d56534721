import { createSlots, type Slots } from '../lib/slots.ts';

export type KeyedSlots = (key: string) => Slots;

/** As many slots for each key, such as a person or a val. Keys that nobody uses take no memory. */
export function createKeyedSlots(count: number): KeyedSlots {
  const byKey = new Map<string, Slots>();
  return (key) => {
    const known = byKey.get(key);
    if (known) return known;
    const slots = createSlots(count, () => byKey.delete(key));
    byKey.set(key, slots);
    return slots;
  };
}
