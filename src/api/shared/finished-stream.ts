/** Streams that release a resource when they end. */

/** Calls `end` however reading ends, even before it has begun. */
export function finished(chunks: AsyncGenerator<Uint8Array>, end: () => void): AsyncIterable<Uint8Array> {
  const ending = async (step: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await step;
      if (result.done === true) end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => ending(chunks.next()),
      return: () => ending(chunks.return(undefined)),
    }),
  };
}
