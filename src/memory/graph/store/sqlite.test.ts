// The graph in store.db does what every graph store has to do.
import { describeGraphStore } from "../conformance-fixture.ts";
import { openGraph } from "../graph-fixture.ts";

describeGraphStore("SQLite", openGraph);
