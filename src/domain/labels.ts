/** Labels of records: keys and values that people choose, to find and group records by. */
export type Labels = Readonly<Record<string, string>>;

/** limit: labels of one record. */
export const LABELS_MAX = 64;
/** limit: characters of a value. */
export const LABEL_VALUE_MAX = 200;

/** At most 63 characters; no colon, which separates key and value in filters. */
export const LABEL_KEY = '^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$';
export const LABEL_KEY_FORM =
  'is no label: 1 to 63 letters, digits, dots, dashes, underscores and slashes, with a letter or digit at both ends';

/** No control characters. */
export const LABEL_VALUE = '^[^\\u0000-\\u001f\\u007f]*$';
export const LABEL_VALUE_FORM = 'must not have control characters';

/** A condition on labels: the key with this value, or with any. */
export interface LabelTerm {
  readonly key: string;
  readonly value: string | undefined;
}
