/** `/v6/jobs/{id}/input_files/` and `/v6/recipes/{id}/input_files/`: the stored files that a job or recipe took. */
import { INPUT_TIME_FIELDS, type InputFileFilter } from '../../domain/listing/filters.ts';
import { type Paging, paging, toPage } from '../../http/request/paging.ts';
import { choice, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { pageOf } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import type { Listed } from '../shared/records.ts';
import { StoredFile, type StoredFileRecord, type Unaddressed, withUrl } from './file-record.ts';

export interface InputFileRouteDeps {
  readonly inputFiles: {
    /** Undefined if there is no such job or recipe. */
    list(
      owner: 'job' | 'recipe',
      id: number,
      filter: InputFileFilter,
      page: Paging,
    ): Promise<Listed<Unaddressed<StoredFileRecord>> | undefined>;
  };
}

function listOf(owner: 'job' | 'recipe') {
  return defineRoute({
    method: 'GET',
    path: `/v6/${owner}s/{id}/input_files/`,
    summary: `List the input files of a ${owner}`,
    description: 'Each once, by `last_modified`.',
    params: { id: pathId },
    query: {
      paging,
      range: timeRange(),
      time_field: choice(
        'What `started` and `ended` speak of; `last_modified` if not given.',
        INPUT_TIME_FIELDS,
      ),
      file_name: texts('Whole names.'),
      [`${owner}_input`]: texts('Names of inputs.'),
    },
    replies: { 200: pageOf(StoredFile) },
    async handle({ params, query, request }, { inputFiles }: InputFileRouteDeps) {
      const filter: InputFileFilter = {
        range: query.range,
        timeField: query.time_field ?? 'last_modified',
        fileName: query.file_name,
        input: query[`${owner}_input`] as readonly string[],
      };
      const listed = existing(await inputFiles.list(owner, params.id, filter, query.paging), owner);
      const results = listed.results.map((record) => withUrl(record, request.base));
      return reply(200, toPage(request, query.paging, { count: listed.count, results }));
    },
  });
}

export const inputFileRoutes = [listOf('job'), listOf('recipe')];
