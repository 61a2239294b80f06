/** Nominal types over plain values: a JobId is not a RecipeId, though both are strings or numbers at run time. */

declare const brand: unique symbol;

/** `Value` that carries `Name` for the compiler only. Made by a cast in the one function that checks it. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
