import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { LocalError } from '../../../src/errors.ts';
import { type CertificateFiles, readCertificate } from '../../../src/service/http/certificate.ts';
import { temporaryFolder } from '../support.ts';

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);

const folder = temporaryFolder();
const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const good = pem('good');
const read = (files: Partial<CertificateFiles>) => readCertificate({ cert: good, key: good, ...files });

test('a certificate and its key are read, also through a link', () => {
  const link = join(folder, 'link');
  symlinkSync(good, link);
  const content = readFileSync(good);
  expect(read({ cert: link, key: link })).toEqual({ cert: content, key: content });
});

test.each<[string, Partial<CertificateFiles>, string]>([
  ['a missing file', { cert: join(folder, 'nothing') }, 'does not exist'],
  ['a folder', { key: folder }, 'is a folder, not a regular file'],
  ['a text as a certificate', { cert: fileWith('text', 'hello') }, 'cannot be used: '],
  ['a text as a key', { key: fileWith('text', 'hello') }, 'cannot be used: '],
  ['the key of another certificate', { key: pem('expired') }, 'cannot be used: '],
])('%s is refused, and the message names the file', (_, files, problem) => {
  expect(() => read(files)).toThrow(LocalError);
  expect(() => read(files)).toThrow(problem);
  for (const file of Object.values(files)) expect(() => read(files)).toThrow(file);
});
