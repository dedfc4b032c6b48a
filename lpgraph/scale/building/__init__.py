"""Steps of the build of an edge store, each of which goes on where it was stopped.

1. `read`: shards become chunks of a few million edges. An end point is an integer, or the hash of a text.
2. `number`: the end points become numbers of vertices, in the order of names.
3. `buckets`: each edge is put in both directions into the bucket of its partition of rows.
4. `partition`: a partition is sorted, repeated edges are added up, and its files are written.
5. `finish`: degrees, connected components, and the manifest.

A file is written under another name and renamed, so that a file with its final name is complete.
"""
