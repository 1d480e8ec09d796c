export async function inTurns<T>(items: Iterable<T>, jobs: number, work: (item: T) => Promise<void>) {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    try {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    } catch (error) {
      queue.length = 0;
      throw error;
    }
  };
  const workers = Array.from({ length: jobs }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
}
