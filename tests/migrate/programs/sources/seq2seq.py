"""Translation of numbers into their reverse: GRU encoder, attention decoder, two optimizers, teacher forcing."""

import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

SOS_token = 0
EOS_token = 1
FIRST_DIGIT = 2
MAX_LENGTH = 7
NUM_TOKENS = 12

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.0):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super(BahdanauAttention, self).__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)

        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)
        return context, weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.cell = nn.LSTMCell(2 * hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, 1, dtype=torch.long, device=device).fill_(SOS_token)
        hidden = encoder_hidden[-1]
        state = torch.zeros_like(hidden)
        decoder_outputs = []
        attentions = []

        for i in range(MAX_LENGTH):
            decoder_output, hidden, state, attn_weights = self.forward_step(
                decoder_input, hidden, state, encoder_outputs
            )
            decoder_outputs.append(decoder_output)
            attentions.append(attn_weights)

            if target_tensor is not None:
                # Teacher forcing: Feed the target as the next input
                decoder_input = target_tensor[:, i].unsqueeze(1)
            else:
                # Without teacher forcing: use its own predictions as the next input
                _, topi = decoder_output.topk(1)
                decoder_input = topi.squeeze(-1).detach()  # detach from history as input

        decoder_outputs = torch.cat(decoder_outputs, dim=1)
        decoder_outputs = F.log_softmax(decoder_outputs, dim=-1)
        attentions = torch.cat(attentions, dim=1)
        return decoder_outputs, hidden, attentions

    def forward_step(self, input, hidden, state, encoder_outputs):
        embedded = self.embedding(input)
        query = hidden.unsqueeze(1)
        context, attn_weights = self.attention(query, encoder_outputs)
        input_cell = torch.cat((embedded, context), dim=2).squeeze(1)
        hidden, state = self.cell(input_cell, (hidden, state))
        output = self.out(hidden).unsqueeze(1)
        return output, hidden, state, attn_weights


def make_pairs(n, seed=0):
    """Digits, an end, and padding by ends; the target is the digits from the last to the first."""
    rng = np.random.default_rng(seed)
    sources = np.full((n, MAX_LENGTH), EOS_token, dtype=np.int64)
    targets = np.full((n, MAX_LENGTH), EOS_token, dtype=np.int64)
    for row in range(n):
        length = rng.integers(3, MAX_LENGTH)
        digits = rng.integers(FIRST_DIGIT, NUM_TOKENS, length)
        sources[row, :length] = digits
        targets[row, :length] = digits[::-1]
    return torch.from_numpy(sources), torch.from_numpy(targets)


def get_dataloader(batch_size, batches):
    sources, targets = make_pairs(batch_size * batches)
    data = torch.utils.data.TensorDataset(sources.to(device), targets.to(device))
    sampler = torch.utils.data.SequentialSampler(data)
    return torch.utils.data.DataLoader(data, sampler=sampler, batch_size=batch_size)


def build_model():
    encoder = EncoderRNN(NUM_TOKENS, 12).to(device)
    decoder = AttnDecoderRNN(12, NUM_TOKENS).to(device)
    return encoder, decoder


def example_inputs():
    return make_pairs(3, seed=1)


def predict(model, inputs):
    encoder, decoder = model
    encoder_outputs, encoder_hidden = encoder(inputs[0])
    decoder_outputs, _, attentions = decoder(encoder_outputs, encoder_hidden)
    return decoder_outputs, attentions


def forward_loss(model, inputs):
    encoder, decoder = model
    input_tensor, target_tensor = inputs
    encoder_outputs, encoder_hidden = encoder(input_tensor)
    decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)
    return F.nll_loss(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))


def train_epoch(
    dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion, teacher_forcing_ratio=0.7
):
    losses = []
    for data in dataloader:
        input_tensor, target_tensor = data

        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()

        encoder_outputs, encoder_hidden = encoder(input_tensor)
        use_teacher_forcing = True if random.random() < teacher_forcing_ratio else False
        if use_teacher_forcing:
            decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)
        else:
            decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden)

        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))
        loss.backward()

        encoder_optimizer.step()
        decoder_optimizer.step()

        losses.append(loss.item())
    return losses


def train(model, steps=20, learning_rate=0.01, print_every=2):
    encoder, decoder = model
    random.seed(3)
    dataloader = get_dataloader(batch_size=4, batches=5)
    plot_losses = []
    encoder_optimizer = optim.Adam(encoder.parameters(), lr=learning_rate)
    decoder_optimizer = optim.RMSprop(decoder.parameters(), lr=learning_rate / 4)
    criterion = nn.NLLLoss()

    for epoch in range(1, steps // len(dataloader) + 1):
        encoder.train()
        decoder.train()
        plot_losses += train_epoch(dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion)
        if epoch % print_every == 0:
            print("(%d %d%%) %.4f" % (epoch, 100 * epoch * len(dataloader) / steps, np.mean(plot_losses[-5:])))
    return plot_losses


def evaluate(encoder, decoder, digits):
    with torch.no_grad():
        padded = digits + [EOS_token] * (MAX_LENGTH - len(digits))
        input_tensor = torch.tensor(padded, dtype=torch.long, device=device).view(1, -1)
        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden)

        _, topi = decoder_outputs.topk(1)
        decoded = []
        for idx in topi.squeeze():
            if idx.item() == EOS_token:
                decoded.append("<EOS>")
                break
            decoded.append(str(idx.item() - FIRST_DIGIT))
    return " ".join(decoded)


def main():
    torch.manual_seed(0)
    encoder, decoder = build_model()
    train((encoder, decoder))
    encoder.eval()
    decoder.eval()
    print("< " + evaluate(encoder, decoder, [3, 4, 5]))


if __name__ == "__main__":
    main()
