/** The type of jsonb columns in entities: what is in them is checked where it came in. */
export type JsonColumn = Readonly<Record<string, unknown>> | readonly unknown[];
