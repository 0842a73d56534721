import { parsed } from '../../cli/command.ts';
import { versionNumber } from './options.ts';

export const ifVersion = parsed(
  '--if-version <n>',
  'write only if this is still the version of the val',
  versionNumber,
  { isNumber: true },
);
