import { accessOf } from '../admit.ts';
import type { Database } from '../database/database.ts';
import { json } from '../request.ts';
import { listSchema, type RecordOf, ref } from '../schemas.ts';
import {
  addVal,
  addVersion,
  changeProperties,
  createOrUpdateVal,
  removeVal,
  removeVersion,
} from '../store/change-val.ts';
import { valsWithText } from '../store/lists.ts';
import { numberPositions, timePositions } from '../store/positions.ts';
import { addRun, findRun, runsOfVal } from '../store/runs.ts';
import { visibleVal } from '../store/vals.ts';
import { pageOfVersions, type VersionRow, visibleVersion } from '../store/versions.ts';
import * as input from './inputs.ts';
import { changedReply, createdReply, listReply, noteChange, runList, valList, valReply } from './outgoing.ts';
import { type Route, route } from './route.ts';

/** Longer than other functions, because it is a table: one entry for each route. */
export function valRoutes(db: Database): Route[] {
  return [
    route('GET', '/v1/vals/:id', {
      admits: 'anyone',
      summary: 'A val with its code',
      responses: { 200: ref('Val') },
      reply: async (request, { params }) =>
        valReply(request, await visibleVal(db, request.access, params.id)),
    }),
    route('GET', '/v1/vals/:id/module', {
      admits: 'anyone',
      summary: 'The code of a val',
      responses: { 200: 'application/typescript' },
      async reply({ access }, { params }) {
        const { code } = await visibleVal(db, access, params.id);
        // With a JavaScript type, a page of another site could load the code as a script.
        return {
          status: 200,
          headers: { 'Content-Type': 'application/typescript; charset=utf-8' },
          body: code,
        };
      },
    }),
    route('POST', '/v1/vals', {
      summary: 'Create a val',
      body: input.codeAndProperties,
      responses: { 201: ref('Val') },
      async reply(request, { body, options }) {
        const added = await addVal(db, accessOf(request), body, options);
        noteChange(request, added);
        return createdReply(request, added.val);
      },
    }),
    route('PUT', '/v1/vals', {
      summary: 'Create a val, or update the code of the val with this name',
      body: input.nameAndCode,
      hasIfMatch: true,
      responses: { 200: ref('Val'), 201: ref('Val') },
      async reply(request, { body, options }) {
        const written = await createOrUpdateVal(db, accessOf(request), body, options);
        noteChange(request, written);
        const { val, isNew } = written;
        return isNew ? createdReply(request, val) : valReply(request, val);
      },
    }),
    route('PUT', '/v1/vals/:id', {
      summary: "Change a val's name, readme, privacy or type",
      body: input.changedProperties,
      hasIfMatch: true,
      responses: { 204: 'nothing' },
      async reply(request, { params, body, options }) {
        const written = await changeProperties(db, accessOf(request), params.id, options, body);
        noteChange(request, written);
        return changedReply(written.val);
      },
    }),
    route('DELETE', '/v1/vals/:id', {
      summary: 'Delete a val with its versions and runs',
      hasIfMatch: true,
      responses: { 204: 'nothing' },
      async reply(request, { params, options }) {
        await removeVal(db, accessOf(request), params.id, options);
        return { status: 204 };
      },
    }),
    route('GET', '/v1/search/vals', {
      summary: 'Vals whose name or code contains the query',
      query: input.search,
      responses: { 200: listSchema('Val') },
      async reply(request, { query: { query: text, ...query } }) {
        const range = input.rangeOf(numberPositions, query);
        return valList(request, await valsWithText(db, accessOf(request), text, range), range);
      },
    }),

    route('GET', '/v1/vals/:id/runs', {
      summary: 'Runs of a val',
      query: input.runs,
      responses: { 200: listSchema('Run') },
      async reply(request, { params, query }) {
        const range = input.rangeOf(timePositions, query);
        return runList(request, await runsOfVal(db, accessOf(request), params.id, range), range);
      },
    }),
    route('POST', '/v1/vals/:id/runs', {
      summary: 'Store a run that the caller has made',
      body: input.reportedRun,
      responses: { 200: ref('Run'), 201: ref('Run') },
      async reply(request, { params, body }) {
        const { run, isNew } = await addRun(db, accessOf(request), params.id, input.runFrom(body));
        return json(run satisfies RecordOf<'Run'>, isNew ? 201 : 200);
      },
    }),
    route('GET', '/v1/runs/:id', {
      summary: 'A run with what it printed',
      responses: { 200: ref('RunWithLogs') },
      async reply(request, { params }) {
        const run = await findRun(db, accessOf(request), params.id);
        request.noted.val = run.val.id;
        return json(run satisfies RecordOf<'RunWithLogs'>);
      },
    }),

    route('GET', '/v1/vals/:id/versions', {
      admits: 'anyone',
      summary: 'The versions of a val, newest first',
      query: input.pageInput,
      responses: { 200: listSchema('Version') },
      async reply(request, { params: { id }, query }) {
        const range = input.rangeOf(numberPositions, query);
        const found = await pageOfVersions(db, request.access, id, range);
        const recordOf = (version: VersionRow): RecordOf<'Version'> => ({ val_id: id, ...version });
        return listReply(request, found, range, {
          positions: numberPositions,
          jsonOf: (version) => JSON.stringify(recordOf(version)),
        });
      },
    }),
    route('POST', '/v1/vals/:id/versions', {
      summary: 'Create a version of a val',
      body: input.codeAndProperties,
      hasIfMatch: true,
      responses: { 200: ref('Val'), 201: ref('Val') },
      async reply(request, { params, body, options }) {
        const written = await addVersion(db, accessOf(request), params.id, options, body);
        noteChange(request, written);
        const { val, isNewVersion } = written;
        return isNewVersion ? createdReply(request, val, `/versions/${val.version}`) : valReply(request, val);
      },
    }),
    route('GET', '/v1/vals/:id/versions/:version', {
      admits: 'anyone',
      summary: 'A val with the code of one version',
      responses: { 200: ref('Val') },
      reply: async (request, { params: { id, version } }) =>
        valReply(request, await visibleVersion(db, request.access, id, input.parseVersion(version))),
    }),
    route('DELETE', '/v1/vals/:id/versions/:version', {
      summary: 'Delete a version',
      hasIfMatch: true,
      responses: { 204: 'nothing' },
      async reply(request, { params: { id, version }, options }) {
        return changedReply(
          await removeVersion(db, accessOf(request), id, options, input.parseVersion(version)),
        );
      },
    }),
  ];
}
