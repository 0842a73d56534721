import { requireUser } from '../guard.ts';
import { type Answer, baseUrlOf, json, type ServiceRequest, spacePrefix } from '../request.ts';
import { type Val, versionPositions } from '../store/read-vals.ts';
import type { Store } from '../store/store.ts';
import * as check from './checks.ts';
import { page, recordPage } from './list-page.ts';
import { valAnswer, valRecord } from './outgoing.ts';
import { type Route, route } from './route.ts';
import { listOf, ref } from './schemas.ts';

export function valRoutes(store: Store): Route[] {
  return [
    route('GET', '/v1/vals/:id', {
      access: 'anyone',
      summary: 'A val with its code',
      responses: { 200: ref('Val') },
      answer: async (request, { params }) => valAnswer(request, await store.val(request.user, params.id)),
    }),
    route('GET', '/v1/vals/:id/module', {
      access: 'anyone',
      summary: 'The code of a val',
      responses: { 200: 'application/typescript' },
      async answer({ user }, { params }) {
        const { code } = await store.val(user, params.id);
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
      body: check.newVal,
      responses: { 201: ref('Val') },
      answer: async (request, { body }) => created(request, await store.create(requireUser(request), body)),
    }),
    route('PUT', '/v1/vals', {
      summary: 'Create a val, or update the code of the val with this name',
      body: check.nameAndCode,
      responses: { 200: ref('Val'), 201: ref('Val') },
      async answer(request, { body }) {
        const { val, isNew } = await store.createOrUpdate(requireUser(request), body);
        return isNew ? created(request, val) : valAnswer(request, val);
      },
    }),
    route('PUT', '/v1/vals/:id', {
      summary: "Change a val's name, readme or privacy",
      body: check.changedFacts,
      responses: { 204: 'nothing' },
      async answer(request, { params, body }) {
        await store.changeFacts(requireUser(request), params.id, body);
        return { status: 204 };
      },
    }),
    route('DELETE', '/v1/vals/:id', {
      summary: 'Delete a val with its versions and runs',
      responses: { 204: 'nothing' },
      async answer(request, { params }) {
        await store.delete(requireUser(request), params.id);
        return { status: 204 };
      },
    }),

    route('GET', '/v1/vals/:id/runs', {
      summary: 'Runs of a val',
      query: check.runs,
      responses: { 200: listOf('Run') },
      async answer(request, { params, query }) {
        const found = await store.runs(requireUser(request), params.id, query);
        return recordPage(request, found, query, ({ json }) => json);
      },
    }),
    route('POST', '/v1/vals/:id/runs', {
      summary: 'Store a run that the caller has made',
      body: check.reportedRun,
      responses: { 201: ref('Run') },
      answer: async (request, { params, body }) =>
        json(await store.addRun(requireUser(request), params.id, body), 201),
    }),

    route('GET', '/v1/vals/:id/versions', {
      summary: 'The versions of a val, newest first',
      query: check.versions,
      responses: { 200: listOf('Version') },
      async answer(request, { params: { id }, query }) {
        const { versions, more } = await store.versions(requireUser(request), id, query);
        const sent = versions.map((version) => JSON.stringify({ val_id: id, ...version }));
        const last = versions.at(-1);
        return page(request, sent, query, () =>
          more && last
            ? versionPositions.write([last.version], query.recordsBefore + sent.length)
            : undefined,
        );
      },
    }),
    route('POST', '/v1/vals/:id/versions', {
      summary: 'Create a version of a val',
      body: check.newVersion,
      responses: { 200: ref('Val'), 201: ref('Val') },
      async answer(request, { params, body }) {
        const { val, isNew } = await store.createVersion(requireUser(request), params.id, body);
        return isNew ? created(request, val, `/versions/${val.version}`) : valAnswer(request, val);
      },
    }),
    route('GET', '/v1/vals/:id/versions/:version', {
      summary: 'A val with the code of one version',
      responses: { 200: ref('Val') },
      answer: async (request, { params: { id, version } }) =>
        valAnswer(request, await store.version(requireUser(request), id, check.parseVersion(version))),
    }),
    route('DELETE', '/v1/vals/:id/versions/:version', {
      summary: 'Delete a version',
      responses: { 204: 'nothing' },
      async answer(request, { params: { id, version } }) {
        await store.deleteVersion(requireUser(request), id, check.parseVersion(version));
        return { status: 204 };
      },
    }),
  ];
}

const created = (request: ServiceRequest, val: Val, below = ''): Answer =>
  json(valRecord(val, baseUrlOf(request)), 201, {
    Location: `${spacePrefix(request.space)}/v1/vals/${val.id}${below}`,
  });
