/** `labels` in bodies and records, and the filter `label` of lists. */
import { Type } from '@sinclair/typebox';
import {
  LABEL_KEY,
  LABEL_KEY_FORM,
  LABEL_VALUE,
  LABEL_VALUE_MAX,
  LABELS_MAX,
  type LabelTerm,
} from '../../domain/labels.ts';
import { type QueryPart, texts } from './parameters.ts';

const KEY = new RegExp(LABEL_KEY, 'u');

/** The labels of a record. */
export const LABELS = Type.Record(Type.String(), Type.String(), {
  description: 'Keys and values that people chose.',
});

/** For bodies that create or edit a record: all of its labels. */
export const NEW_LABELS = Type.Optional(
  Type.Record(
    Type.String({ pattern: LABEL_KEY }),
    Type.String({ maxLength: LABEL_VALUE_MAX, pattern: LABEL_VALUE }),
    {
      maxProperties: LABELS_MAX,
      additionalProperties: false,
      description: 'All labels of the record; an edit replaces those it had. Default: none.',
    },
  ),
);

/** The key of a list's filter. */
export const LABEL_FILTER = 'label';

const given = texts(
  '`key:value`, or `key` for any value. Of the values of one key any may match; each key must.',
);

export const labelFilter: QueryPart<readonly LabelTerm[]> = {
  document: given.document,
  read(name, context) {
    const terms = (given.read(name, context) ?? []).map((text) => {
      const colon = text.indexOf(':');
      return colon < 0
        ? { key: text, value: undefined }
        : { key: text.slice(0, colon), value: text.slice(colon + 1) };
    });
    const wrong = terms.filter(({ key }) => !KEY.test(key));
    for (const { key } of wrong.slice(0, 1)) context.issues.error('NOT_ALLOWED', name, problemOf(key));
    return terms;
  },
};

function problemOf(key: string): string {
  const equals = key.indexOf('=');
  if (equals > 0 && KEY.test(key.slice(0, equals)))
    return `must be 'key:value' or 'key'; did you mean '${key.slice(0, equals)}:${key.slice(equals + 1)}'?`;
  return `must be 'key:value' or 'key'; its key ${LABEL_KEY_FORM}`;
}
