import { embeddedService, isOfThisMachine } from '../../settings/settings.ts';
import type { OwnFolder } from './own-folder.ts';
import { createRecords, servicesWithRecords } from './val-records.ts';

interface RecordedIds {
  /** The service in use has a record of the file. */
  has(file: string): boolean;
  /** The ids on other services of this machine. vals.json has the ids on services that others can reach. */
  elsewhere(val: { file: string; name: string }): [service: string, id: string][];
}

export function createRecordedIds(
  own: OwnFolder,
  service: string,
  isListed: (file: string) => boolean,
): RecordedIds {
  const open = (each: string) => ({ service: each, records: createRecords(own, each, isListed, () => {}) });
  const others = servicesWithRecords(own)
    // The embedded service is for trying things out, so it says little about where the vals are.
    .filter((each) => each !== service && each !== embeddedService && isOfThisMachine(each))
    .map(open);
  const { records } = open(service);
  return {
    has: records.has,
    elsewhere(val) {
      if (others.length === 0 || records.has(val.file)) return [];
      return others.flatMap((other): [string, string][] => {
        const id = other.records.has(val.file) ? other.records.of(val)?.id : undefined;
        return id === undefined ? [] : [[other.service, id]];
      });
    },
  };
}
