/** Checks a data filter document alone, in the way in which recipe definitions check that of a condition. */
import { checkJson } from '../../src/domain/document/json-value.ts';
import { type DataFilter, EMPTY_FILTER, readFilter } from '../../src/domain/filter/filter.ts';
import { type Checked, IssueList } from '../../src/domain/validation.ts';

export function checkFilter(document: unknown): Checked<DataFilter> {
  const issues = new IssueList();
  const isReadable = checkJson(document, issues, 'INVALID_DATA_FILTER');
  const value = isReadable ? readFilter(issues, document, '') : EMPTY_FILTER;
  return issues.finish(() => value);
}
