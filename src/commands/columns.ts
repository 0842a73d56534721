// Columns that several commands show.
import { column, moment } from '../command.ts';

export const valColumns = [
  column('name'),
  column('privacy', 'privacy', 'public'),
  column('version'),
  column('author', 'author.username', 'author'),
  moment('created', 'createdAt'),
  moment('updated', 'updatedAt'),
  column('id'),
];

export const runColumns = [
  moment('started', 'runStartAt', 'startedAt', 'createdAt'),
  moment('ended', 'runEndAt', 'endedAt'),
  column('val', 'val.name', 'valName'),
  column('version', 'val.version', 'version'),
  column('error', 'error.message', 'error'),
  column('id'),
];
