/** The columns of the table of objects: 81 bytes a row. A row is a number; `none` stands where there is no row. */
export class Columns {
  /** Sixteen bytes each. */
  uid = new Uint32Array(0);
  /** The resourceVersion as a number; NaN where it is none. */
  version = new Float64Array(0);
  /** Of what the object means, without what changes all the time; two words each. */
  hash = new Uint32Array(0);
  /** Seconds since 1970. */
  created = new Uint32Array(0);
  nameOffset = new Uint32Array(0);
  nameLength = new Uint16Array(0);
  /** Number of the kind; 0: only the uid is known, from the objects it owns. */
  kind = new Uint32Array(0);
  namespace = new Uint32Array(0);
  instance = new Uint32Array(0);
  /** Place in `healthOrder` + 1; 0: the kind says nothing about health. */
  health = new Uint8Array(0);
  /** In which list of its kind the object was last seen. */
  epoch = new Uint8Array(0);
  flags = new Uint8Array(0);
  owner = new Int32Array(0);
  firstOwned = new Int32Array(0);
  nextOwned = new Int32Array(0);
  previousOwned = new Int32Array(0);
  nextInPlace = new Int32Array(0);
  previousInPlace = new Int32Array(0);
  capacity = 0;

  /** Makes room for this many rows; an eighth more each time, so that little lies idle. */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    const length = Math.max(rows, this.capacity + (this.capacity >>> 3) + 256);
    this.uid = words(this.uid, length * 4);
    this.hash = words(this.hash, length * 2);
    this.kind = words(this.kind, length);
    this.created = words(this.created, length);
    this.nameOffset = words(this.nameOffset, length);
    this.namespace = words(this.namespace, length);
    this.instance = words(this.instance, length);
    this.version = moved(this.version, new Float64Array(length));
    this.nameLength = moved(this.nameLength, new Uint16Array(length));
    this.health = moved(this.health, new Uint8Array(length));
    this.epoch = moved(this.epoch, new Uint8Array(length));
    this.flags = moved(this.flags, new Uint8Array(length));
    this.owner = links(this.owner, length);
    this.firstOwned = links(this.firstOwned, length);
    this.nextOwned = links(this.nextOwned, length);
    this.previousOwned = links(this.previousOwned, length);
    this.nextInPlace = links(this.nextInPlace, length);
    this.previousInPlace = links(this.previousInPlace, length);
    this.capacity = length;
  }

  get bytes(): number {
    return this.capacity * 81;
  }
}

/** No row. */
export const none = -1;

type Column = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

function moved<C extends Column>(from: C, to: C): C {
  to.set(from);
  return to;
}

function words(from: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return moved(from, new Uint32Array(length));
}

function links(from: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  return moved(from, new Int32Array(length).fill(none));
}
