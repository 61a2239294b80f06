/** `/v6/jobs/{id}/input_files/` and `/v6/recipes/{id}/input_files/`: the input files of a job or recipe. */
import { INPUT_TIME_FIELDS, type InputFileFilter } from '../../domain/listing/filters.ts';
import { defineList } from '../../http/list.ts';
import { choice, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { listInputFiles } from '../../store/file/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { readFor, StoredFile, withUrls } from './file-record.ts';

function listOf(owner: 'job' | 'recipe') {
  return defineList({
    path: `/v6/${owner}s/{id}/input_files/`,
    summary: `List the input files of a ${owner}`,
    description: 'Each file once, ordered by `last_modified`.',
    params: { id: pathId },
    query: {
      range: timeRange(),
      time_field: choice(
        'What `started` and `ended` are compared with; `last_modified` if not given.',
        INPUT_TIME_FIELDS,
      ),
      file_name: texts('Whole names.'),
      [`${owner}_input`]: texts('Names of inputs.'),
    },
    record: StoredFile,
    async records({ params, query, shown, request }, { sql }: Parts<'sql'>) {
      const filter: InputFileFilter = {
        range: query.range,
        timeField: query.time_field ?? 'last_modified',
        fileName: query.file_name,
        input: query[`${owner}_input`] as readonly string[],
      };
      const wanted = { owner, id: params.id, filter };
      const listed = await listInputFiles(sql, wanted, query.paging, readFor(shown));
      const { count, some } = existing(listed, owner, params.id);
      return { count, some: withUrls(some, request.base) };
    },
  });
}

export const inputFileRoutes = [listOf('job'), listOf('recipe')];
