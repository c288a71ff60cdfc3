/** Values of a metric's labels, in the order of its label names. */
type Labels = readonly string[];

export interface Counter {
  add(labels: Labels, by?: number): void;
  /** Forgets what was counted under these labels. */
  remove(labels: Labels): void;
}
export interface Gauge {
  set(labels: Labels, value: number): void;
  remove(labels: Labels): void;
}
export interface Histogram {
  observe(labels: Labels, value: number): void;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  print(): Iterable<string>;
}

/** A registry of metrics, printed in Prometheus' text form line by line so that a big one never stalls the loop. */
export interface Metrics {
  counter(name: string, help: string, labels: readonly string[]): Counter;
  gauge(name: string, help: string, labels: readonly string[]): Gauge;
  histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram;
  print(): Iterable<string>;
}

/** An empty registry. */
export function createMetrics(): Metrics {
  const families = new Map<string, Family>();
  const add = (family: Family): void => {
    if (families.has(family.name)) throw new Error(`metric ${family.name} is registered twice`);
    families.set(family.name, family);
  };
  return {
    counter: (name, help, labels) => {
      const series = new Series(name, labels);
      add({ name, help, type: 'counter', print: () => series.print() });
      return {
        add: (values, by = 1) => series.set(values, series.get(values) + by),
        remove: (values) => series.remove(values),
      };
    },
    gauge: (name, help, labels) => {
      const series = new Series(name, labels);
      add({ name, help, type: 'gauge', print: () => series.print() });
      return { set: (values, value) => series.set(values, value), remove: (values) => series.remove(values) };
    },
    histogram: (name, help, labels, buckets) => {
      const bars = new Bars(name, labels, buckets);
      add({ name, help, type: 'histogram', print: () => bars.print() });
      return { observe: (values, value) => bars.observe(values, value) };
    },
    *print() {
      for (const family of families.values()) {
        yield `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.type}\n`;
        yield* family.print();
      }
    },
  };
}

class Series {
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #values = new Map<string, number>();
  constructor(name: string, labels: readonly string[]) {
    this.#name = name;
    this.#labels = labels;
  }
  get(values: Labels): number {
    return this.#values.get(printLabels(this.#labels, values)) ?? 0;
  }
  set(values: Labels, value: number): void {
    this.#values.set(printLabels(this.#labels, values), value);
  }
  remove(values: Labels): void {
    this.#values.delete(printLabels(this.#labels, values));
  }
  *print(): Iterable<string> {
    for (const [labels, value] of this.#values) yield `${this.#name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
  }
}

class Bars {
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, { counts: number[]; sum: number; total: number }>();
  constructor(name: string, labels: readonly string[], bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
  }
  observe(values: Labels, value: number): void {
    const key = printLabels(this.#labels, values);
    const row = this.#rows.get(key) ?? { counts: this.#bounds.map(() => 0), sum: 0, total: 0 };
    this.#bounds.forEach((bound, i) => {
      if (value <= bound) row.counts[i] = (row.counts[i] ?? 0) + 1;
    });
    row.sum += value;
    row.total += 1;
    this.#rows.set(key, row);
  }
  *print(): Iterable<string> {
    for (const [labels, row] of this.#rows) {
      const with_ = (le: string): string => (labels === '' ? `{le="${le}"}` : `{${labels},le="${le}"}`);
      for (let i = 0; i < this.#bounds.length; i++)
        yield `${this.#name}_bucket${with_(String(this.#bounds[i]))} ${row.counts[i]}\n`;
      yield `${this.#name}_bucket${with_('+Inf')} ${row.total}\n`;
      const rest = labels === '' ? '' : `{${labels}}`;
      yield `${this.#name}_sum${rest} ${row.sum}\n${this.#name}_count${rest} ${row.total}\n`;
    }
  }
}

function printLabels(names: readonly string[], values: Labels): string {
  return names.map((name, i) => `${name}="${quoted(values[i] ?? '')}"`).join(',');
}

function quoted(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
