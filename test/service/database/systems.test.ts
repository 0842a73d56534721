import { expect, it } from 'vitest';
import { sqliteLoadError } from '../../../src/service/database/open-database.ts';

it('the error says that SQLite is missing on ARM64, where a new install would not help', () => {
  const missing = new Error("Cannot find module '@libsql/win32-arm64-msvc'");
  expect(sqliteLoadError(missing, { platform: 'win32', arch: 'arm64' })).toMatchObject({
    message: expect.stringContaining('ARM64'),
    facts: { hint: expect.not.stringContaining('Install vals again') },
  });
  expect(sqliteLoadError(missing, { platform: 'win32', arch: 'x64' })).toMatchObject({
    facts: { hint: expect.stringContaining('Install vals again') },
  });
});
