"""The rows of datasets as plain values."""


def values(data, epochs=1):
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[row[0].tolist() for row in rows] for _ in range(epochs)]
    return found if epochs > 1 else found[0]
