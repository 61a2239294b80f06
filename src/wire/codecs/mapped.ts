/**
 * Compares, as types, a message of a contract with its plain type, field by field: a field that only one of them has,
 * or that differs in kind, makes the codec's creation a compile error.
 */
import type { Message, UnknownEnum } from '@bufbuild/protobuf';

/** `unknown` if all fields fit; otherwise an object type that names those that do not. */
export type Mapped<M, Plain> = [Misfit<M, Plain>] extends [never]
  ? unknown
  : { readonly fieldsThatDoNotFit: Misfit<M, Plain> };

/** The names of the fields that do not fit; fields of nested messages come after a dot. */
type Misfit<M, Plain> = M extends { readonly body: infer Body }
  ? MisfitCase<Extract<Body, Case>, Plain>
  : MisfitField<Omit<M, keyof Message>, Plain>;

interface Case {
  readonly case: string;
  readonly value: unknown;
}

/** A oneof `body` is a union by `type`. */
type MisfitCase<C extends Case, Plain> =
  | Exclude<C['case'], TypeOf<Plain>>
  | Exclude<TypeOf<Plain>, C['case']>
  | {
      [Name in C['case'] & TypeOf<Plain>]: Misfit<
        CaseValue<C, Name>,
        Omit<Extract<Plain, { type: Name }>, 'type'>
      > extends infer Path
        ? Below<Name, Path>
        : never;
    }[C['case'] & TypeOf<Plain>];

type TypeOf<Plain> = Plain extends { readonly type: infer Type extends string } ? Type : never;
type CaseValue<C extends Case, Name> = C extends { readonly case: Name; readonly value: infer V } ? V : never;
type Below<Name extends string, Path> = Path extends string ? `${Name}.${Path}` : never;

type MisfitField<Fields, Plain> =
  | (Exclude<keyof Fields, keyof Plain> & string)
  | (Exclude<keyof Plain, keyof Fields> & string)
  | {
      [Name in keyof Fields & keyof Plain & string]: MisfitValue<
        Fields[Name] & {},
        Plain[Name] & {}
      > extends infer Path
        ? Path extends true
          ? Name
          : Below<Name, Path>
        : never;
    }[keyof Fields & keyof Plain & string];

/** `true`: another kind; a text: a field of a nested message; never: it fits. An enum becomes its own strings. */
type MisfitValue<V, Plain> =
  IsEnum<V> extends true
    ? Plain extends string
      ? never
      : true
    : V extends Uint8Array
      ? Plain extends Uint8Array
        ? never
        : true
      : V extends readonly (infer Item)[]
        ? Plain extends readonly (infer PlainItem)[]
          ? MisfitValue<Item, PlainItem>
          : true
        : V extends Wrapper<infer Value>
          ? MisfitValue<Value, Plain>
          : V extends Message
            ? Plain extends object
              ? Misfit<V, Plain>
              : true
            : V extends object
              ? Plain extends object
                ? MisfitValue<V[keyof V], Plain[keyof Plain]>
                : true
              : V extends bigint | number
                ? Plain extends number
                  ? never
                  : true
                : [V] extends [Plain]
                  ? never
                  : true;

/** A message that is represented by its only field. */
type Wrapper<Value> = Message<'millrace.node.v1.Resources'> & { readonly amounts: Value };

type IsEnum<V> = [UnknownEnum] extends [V] ? (number extends V ? false : true) : false;
